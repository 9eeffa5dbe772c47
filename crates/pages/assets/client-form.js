// Posts the response to a client. Without scripts, the person presses the button.
document.getElementById("client-form").submit();
