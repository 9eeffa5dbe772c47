// Posts the response to a client. Without scripts, the person presses the button.
document.getElementById("form-post").submit();
